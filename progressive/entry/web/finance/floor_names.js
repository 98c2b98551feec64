// Signs and meters of the floor by name, as the service wrote them into the page.

const all = [
  ...(document.getElementById("floor")?.content.querySelectorAll("i") ?? []),
].map((each) => ({
  ...each.dataset,
  name: each.textContent,
}));

export const metersOf = (link) => all.filter(
  (each) => each.meter !== undefined && each.link === link,
);
export const signsOf = (link) => all.filter(
  (each) => each.sign !== undefined && each.link === link,
);

export const meterName = (link, meter) =>
  metersOf(link).find((each) => each.meter === meter)?.name ?? meter;
export const signName = (link, sign) => signsOf(link).find(
  (each) => each.sign === sign,
)?.name ?? sign;
