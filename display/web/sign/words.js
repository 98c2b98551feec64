// The texts of the signs, in every language they speak; names of pay lines come with messages. A
// language lacks nothing: tests compare.

const ENGLISH = {
  connecting: "Connecting",
  live: "Live",
  ageing: "Updated {age} ago",
  stale: "No contact for {age}: amounts as of {time}",
  stale_short: "No contact {age}",
  offline: "No contact since start: amounts of {time}",
  offline_short: "Amounts of {time}",
  no_amounts: "No contact for {age}",
  out_of_service: "Temporarily out of service",
  seconds: "{n} s",
  minutes: "{n} min {rest} s",
  hours: "{n} h {rest} min",
  days: "{n} d {rest} h",
  won: "{meter} won!",
  share_won: "{share} of {meter}",
  table_seat: "Table {table} · Seat {seat}",
  now_at: "{meter} is now",
  goes_on_at: "{meter} goes on at",
  of_count: "{n} of {count}",
  bet: "Bet {amount}",
  bet_on: "Bet {amount} on {name}",
  bet_between: "Bet {min} to {max}",
  pays: "Pays",
  odds: "Odds",
  one_in: "1 in {n}",
  for_one: "{n} for 1",
  to_one: "{n} to {per}",
  whole_meter: "{meter}",
  share_of: "{share} of {meter}",
  starts_again: "{meter} starts again at {amount}",
  starts_again_reset: "{meter} starts again from what its reserve has gathered",
  starts_again_both: "{meter} starts again at {amount}, and what its reserve has gathered",
  limit: "{meter} grows to {amount} at most",
  free_bonus: "Free bonus",
  free_bonus_terms: "with a blackjack and a bet of {amount} or more",
  highest_only: "Only the highest winning line is paid.",
  order_counter_clockwise: "Several winners: paid in turn, from the dealer's right.",
  order_clockwise: "Several winners: paid in turn, from the dealer's left.",
  order_equal_share: "Several winners: each has an equal share.",
  needs_base: "Only beside a blackjack wager.",
  capped_by_base: "Only beside a blackjack wager, and not above it.",
  dealing_1: "Your first three cards count.",
  dealing_2: "Your first two cards and the dealer's up card count.",
  points_max: "A hand of more than {n} points is not paid.",
  soft17_hit: "Dealer hits soft 17.",
  soft17_stand: "Dealer stands on soft 17.",
  decks: "{n} decks.",
  no_terms: "Posted terms are not available at the moment. Please ask at the table.",
};

const SPANISH = {
  connecting: "Conectando",
  live: "En vivo",
  ageing: "Actualizado hace {age}",
  stale: "Sin contacto desde hace {age}: importes de las {time}",
  stale_short: "Sin contacto {age}",
  offline: "Sin contacto desde el inicio: importes de {time}",
  offline_short: "Importes de {time}",
  no_amounts: "Sin contacto desde hace {age}",
  out_of_service: "Fuera de servicio temporalmente",
  seconds: "{n} s",
  minutes: "{n} min {rest} s",
  hours: "{n} h {rest} min",
  days: "{n} d {rest} h",
  won: "¡{meter} ganado!",
  share_won: "{share} de {meter}",
  table_seat: "Mesa {table} · Asiento {seat}",
  now_at: "{meter} está ahora en",
  goes_on_at: "{meter} continúa en",
  of_count: "{n} de {count}",
  bet: "Apueste {amount}",
  bet_on: "Apueste {amount} a {name}",
  bet_between: "Apueste de {min} a {max}",
  pays: "Paga",
  odds: "Probabilidad",
  one_in: "1 en {n}",
  for_one: "{n} por 1",
  to_one: "{n} a {per}",
  whole_meter: "{meter}",
  share_of: "{share} de {meter}",
  starts_again: "{meter} vuelve a empezar en {amount}",
  starts_again_reset: "{meter} vuelve a empezar con lo reunido en su reserva",
  starts_again_both: "{meter} vuelve a empezar en {amount}, más lo reunido en su reserva",
  limit: "{meter} crece hasta {amount} como máximo",
  free_bonus: "Bono gratis",
  free_bonus_terms: "con blackjack y una apuesta de {amount} o más",
  highest_only: "Solo se paga la línea ganadora más alta.",
  order_counter_clockwise: "Varios ganadores: se paga por turno, desde la derecha del crupier.",
  order_clockwise: "Varios ganadores: se paga por turno, desde la izquierda del crupier.",
  order_equal_share: "Varios ganadores: cada uno recibe una parte igual.",
  needs_base: "Solo junto con una apuesta de blackjack.",
  capped_by_base: "Solo junto con una apuesta de blackjack, y no mayor que ella.",
  dealing_1: "Cuentan sus tres primeras cartas.",
  dealing_2: "Cuentan sus dos primeras cartas y la carta visible del crupier.",
  points_max: "No se paga una mano de más de {n} puntos.",
  soft17_hit: "El crupier pide con 17 blando.",
  soft17_stand: "El crupier se planta con 17 blando.",
  decks: "{n} barajas.",
  no_terms: "Las condiciones no están disponibles por el momento. Pregunte en la mesa.",
};

const CHINESE = {
  connecting: "正在连接",
  live: "实时",
  ageing: "{age}前更新",
  stale: "已失去联系{age}：金额截至 {time}",
  stale_short: "失去联系{age}",
  offline: "启动后尚未连接：金额截至 {time}",
  offline_short: "金额截至 {time}",
  no_amounts: "已失去联系{age}",
  out_of_service: "暂停服务",
  seconds: "{n} 秒",
  minutes: "{n} 分 {rest} 秒",
  hours: "{n} 小时 {rest} 分",
  days: "{n} 天 {rest} 小时",
  won: "{meter} 大奖已中！",
  share_won: "{meter} 的 {share}",
  table_seat: "{table} 号桌 · {seat} 号位",
  now_at: "{meter} 现为",
  goes_on_at: "{meter} 继续累积，现为",
  of_count: "第 {n} 个，共 {count} 个",
  bet: "投注 {amount}",
  bet_on: "{name} 投注 {amount}",
  bet_between: "投注 {min} 至 {max}",
  pays: "赔付",
  odds: "几率",
  one_in: "{n} 分之 1",
  for_one: "1 赔 {n}（含本金）",
  to_one: "{per} 赔 {n}",
  whole_meter: "{meter}",
  share_of: "{meter} 的 {share}",
  starts_again: "{meter} 重新从 {amount} 开始",
  starts_again_reset: "{meter} 以储备金累积额重新开始",
  starts_again_both: "{meter} 重新从 {amount} 加储备金累积额开始",
  limit: "{meter} 最高累积至 {amount}",
  free_bonus: "免费奖金",
  free_bonus_terms: "持有黑杰克且投注 {amount} 或以上",
  highest_only: "只赔付最高的中奖组合。",
  order_counter_clockwise: "多人中奖：自荷官右侧起依次赔付。",
  order_clockwise: "多人中奖：自荷官左侧起依次赔付。",
  order_equal_share: "多人中奖：平均分配。",
  needs_base: "须同时投注黑杰克。",
  capped_by_base: "须同时投注黑杰克，且不得高于该注。",
  dealing_1: "以您的首三张牌计。",
  dealing_2: "以您的首两张牌及荷官明牌计。",
  points_max: "超过 {n} 点的手牌不予赔付。",
  soft17_hit: "荷官软 17 点要牌。",
  soft17_stand: "荷官软 17 点停牌。",
  decks: "{n} 副牌。",
  no_terms: "条款暂时无法显示，请向赌桌查询。",
};

export const LANGUAGES = { en: ENGLISH, es: SPANISH, zh: CHINESE };
export const LANGUAGE_TAGS = { en: "en", es: "es", zh: "zh-Hans" };

export class Words {
  #language;
  #texts;

  constructor(language) {
    this.#language = language;
    this.#texts = LANGUAGES[language] ?? ENGLISH;
  }

  // say("won", { meter: "Mega" }) is "Mega won!".
  say(key, values = {}) {
    return this.#texts[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }

  has(key) {
    return Object.hasOwn(this.#texts, key);
  }

  // A pay line, as the service names it in this sign's language; else by its English name, or not
  // at all. A relay adds the names that an older service leaves out.
  line(names = {}, name = "") {
    return names[this.#language] ?? name;
  }

  // "4 s", "1 min 12 s", "3 h 5 min", "2 d 4 h".
  age(ms) {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    if (seconds < 60) {
      return this.say("seconds", { n: seconds });
    }
    if (seconds < 3600) {
      return this.say("minutes", { n: Math.floor(seconds / 60), rest: seconds % 60 });
    }
    const minutes = Math.floor(seconds / 60);
    if (minutes < 1440) {
      return this.say("hours", { n: Math.floor(minutes / 60), rest: minutes % 60 });
    }
    const hours = Math.floor(minutes / 60);
    return this.say("days", { n: Math.floor(hours / 24), rest: hours % 24 });
  }
}
