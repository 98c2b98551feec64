// Where a sign-in leads: a page of this very service, whatever the address asks for.

const HOME = "/";

export function nextPage({ origin, search }) {
  const asked = new URLSearchParams(search).get("next") ?? HOME;
  // "//evil.example" and "/\evil.example" are other hosts to a browser; the parsed origin tells.
  const url = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  if (url === null || url.origin !== origin || !asked.startsWith("/")) {
    return HOME;
  }
  return `${url.pathname}${url.search}${url.hash}`;
}
