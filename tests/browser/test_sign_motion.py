"""Rolling digits, frame by frame: never past the amount, never backwards, and for hours on end."""

import asyncio
import json
import random
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import CDPSession, expect

from tests.support.signs import MEGA, SIZES, Frame, Size, Wall, snapshot, update

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# What can be read in every single frame, with the newest durable amount at that moment.
WATCH_FRAMES = """
window.frames_seen = [];
const look = () => {
  const amount = document.querySelector('#meters [data-meter="mega"] .amount');
  if (amount) {
    window.frames_seen.push([
      Number(amount.dataset.cents), Number(amount.dataset.targetCents), performance.now()]);
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_no_frame_ever_reads_more_than_was_sent(wall: Wall, size: Size) -> None:
    feed = wall.feed()
    chance = random.Random(size[0])
    async with wall.hang(feed, size=size, frozen=True) as sign:
        await sign.wait_state("live")
        await sign.page.evaluate(WATCH_FRAMES)
        sent = MEGA
        checked = 0
        for seq in range(11, 31):
            sent += chance.choice([0, 1, 60, 420, 420, 840, 50_000])
            await feed.send(update(seq, mega=sent))
            await expect(sign.body).to_have_attribute("data-seq", str(seq))
            await sign.page.clock.run_for(chance.choice([50, 200, 700, 1_500]))
            frames: list[list[float]] = await sign.page.evaluate("window.frames_seen.splice(0)")
            checked += len(frames)
            assert all(read <= target <= sent for read, target, _ in frames)
            assert all(one[0] <= other[0] for one, other in pairwise(frames))
        assert checked > 600
        await sign.pass_time(3_000)
        assert await sign.reads("mega") == sent


async def test_growth_is_smooth_and_far_behind_is_caught_up_in_a_second(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await sign.page.evaluate(WATCH_FRAMES)
        sent = MEGA
        for seq in range(11, 31):
            sent += 400
            await feed.send(update(seq, mega=sent))
            await expect(sign.body).to_have_attribute("data-seq", str(seq))
            await sign.page.clock.run_for(1_000)
        frames: list[list[float]] = await sign.page.evaluate("window.frames_seen.splice(0)")
        settled = frames[len(frames) // 3 :]
        steps = [other[0] - one[0] for one, other in pairwise(settled)]
        # 400 cents a second are 6.4 a frame: it runs on between updates, and never leaps.
        assert max(steps) <= 40
        assert sum(step == 0 for step in steps) < len(steps) / 3
        await feed.send(update(31, mega=sent + 900_000))
        await expect(sign.body).to_have_attribute("data-seq", "31")
        await sign.page.clock.run_for(1_200)
        assert await sign.reads("mega") >= sent + 890_000


async def test_delayed_repeated_and_reordered_frames_never_turn_it_back(wall: Wall) -> None:
    """Any order of a true history: the place only advances, the amount is that place's or less."""
    feed = wall.feed()
    chance = random.Random(20_2611)
    amounts = {10: MEGA}
    for seq in range(11, 91):
        amounts[seq] = amounts[seq - 1] + chance.choice([0, 60, 420])
    history: list[Frame] = [update(seq, mega=amounts[seq]) for seq in range(11, 91)]
    history += [snapshot(seq, meters=named(amounts[seq])) for seq in range(20, 91, 10)]
    told = sorted(history * 2, key=lambda frame: frame["seq"] + chance.uniform(0, 25))
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        await sign.page.evaluate(WATCH_FRAMES)
        newest = 10
        for start in range(0, len(told), 8):
            await feed.send(*told[start : start + 8])
            newest = max([newest, *[frame["seq"] for frame in told[start : start + 8]]])
            await expect(sign.body).to_have_attribute("data-seq", str(newest))
            await sign.page.clock.run_for(300)
            frames: list[list[float]] = await sign.page.evaluate("window.frames_seen.slice(-20)")
            assert all(read <= target <= amounts[newest] for read, target, _ in frames)
        every: list[list[float]] = await sign.page.evaluate("window.frames_seen")
        assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(every))
        await sign.page.clock.run_for(2_000)
        assert await sign.reads("mega") == amounts[90]


def named(mega: int) -> list[Frame]:
    return [{"id": "mega", "name": "Mega", "cents": mega}]


# A feed inside the page, driven by the page's own stopped clock: an hour passes in seconds.
FEED_IN_THE_PAGE = """
(() => {
  const timers = new Set();
  window.timers = timers;
  for (const kind of ["Timeout", "Interval"]) {
    const set = window[`set${kind}`], clear = window[`clear${kind}`];
    window[`set${kind}`] = (work, ...rest) => {
      const id = set((...given) => {
        if (kind === "Timeout") timers.delete(id);
        work(...given);
      }, ...rest);
      timers.add(id);
      return id;
    };
    window[`clear${kind}`] = (id) => (timers.delete(id), clear(id));
  }
  const meters = GREETING.meters;
  let seq = GREETING.seq, awards = 0;
  const place = () => ({ epoch: 3, seq, at: new Date().toISOString() });
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      super();
      queueMicrotask(() => this.say({ ...GREETING, ...place(), meters, wins: [] }));
      let beats = 0;
      this.timer = setInterval(() => {
        beats += 1;
        if (beats % 5 === 0) {
          seq += 1;
          for (const meter of meters) meter.cents += 420;
          if (beats % 300 === 0) meters[0].cents = 2500000;
          this.say({ type: "update", ...place(), meters });
        }
        if (beats % 300 === 0) {
          awards += 1;
          this.say({ type: "win", ...place(), award: `A-${awards}`, table: "BJ-01", seat: 1,
            meter: "mega", line: "three_7_diamonds", amount_cents: 5000000, next_cents: 2500000 });
        }
        // Every ten minutes the line breaks.
        if (beats % 600 === 0) this.close();
        else this.say({ type: "tick", ...place() });
      }, 1000);
    }
    say(frame) {
      const data = JSON.stringify({ link: document.body.dataset.link, ...frame });
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
    send() { window.reports = (window.reports ?? 0) + 1; }
    close() {
      clearInterval(this.timer);
      this.readyState = 3;
      this.dispatchEvent(new CloseEvent("close", { code: 1001 }));
    }
  };
})();
"""
MINUTE_MS = 60_000


async def test_an_hour_leaves_nothing_behind(wall: Wall) -> None:
    feed = wall.feed()
    context = await wall.context(size=(1280, 720), worker=False)
    page = await context.new_page()
    greeting = json.dumps({"link": feed.link, **snapshot()})
    await page.clock.install(time=1_000_000)
    await page.clock.pause_at(2_000_000)
    await page.add_init_script(FEED_IN_THE_PAGE.replace("GREETING", greeting))
    await page.goto(wall.address(feed))
    await expect(page.locator("body")).to_have_attribute("data-state", "live")
    session = await context.new_cdp_session(page)
    await session.send("Performance.enable")

    await page.clock.run_for(10 * MINUTE_MS)
    early = await footprint(session) | {"timers": await page.evaluate("window.timers.size")}
    await page.clock.run_for(50 * MINUTE_MS)
    late = await footprint(session) | {"timers": await page.evaluate("window.timers.size")}

    seq = 10 + 3600 // 5
    shown = int(await page.locator("body").get_attribute("data-seq") or 0)
    assert seq - 12 <= shown <= seq
    assert await page.evaluate("window.reports") > 3600 / 5
    await expect(page.locator("body")).to_have_attribute("data-state", "live")
    assert late["timers"] <= early["timers"]
    assert late["Nodes"] <= early["Nodes"] + 50
    assert late["JSEventListeners"] <= early["JSEventListeners"] + 5
    assert late["JSHeapUsedSize"] <= early["JSHeapUsedSize"] * 1.1 + 200_000
    await context.close()


async def test_a_frame_turns_wheels_and_lays_nothing_out(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        session = await sign.page.context.new_cdp_session(sign.page)
        await session.send("Performance.enable")
        await sign.page.evaluate(WATCH_FRAMES)
        before = await footprint(session)
        for seq in range(11, 21):
            await feed.send(update(seq, mega=MEGA + 400 * seq))
            await asyncio.sleep(0.1)
        after = await footprint(session)
        readings = {read for read, _, _ in await sign.page.evaluate("window.frames_seen")}
        # What is said to those who hear the sign, once a second, is all that is laid out.
        assert after["LayoutCount"] - before["LayoutCount"] <= 5
        assert len(readings) > 8


async def footprint(session: CDPSession) -> dict[str, Any]:
    await session.send("HeapProfiler.collectGarbage")
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics}


async def test_a_sign_with_nothing_new_asks_for_no_frames(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await sign.page.evaluate(
            """() => {
              const ask = window.requestAnimationFrame;
              window.asked = 0;
              window.requestAnimationFrame = (draw) => ((window.asked += 1), ask(draw));
            }"""
        )
        await feed.send(update(11, mega=MEGA + 60))
        await expect(sign.body).to_have_attribute("data-seq", "11")
        await sign.page.clock.run_for(2_900)
        rolled = await sign.page.evaluate("window.asked")
        await sign.page.clock.run_for(2_000)
        assert rolled > 10
        assert await sign.page.evaluate("window.asked") == rolled
