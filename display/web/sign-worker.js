// Keeps the sign pages for a start without a network. The service fills in the version, a name for
// exactly these files, and their addresses. Amounts are never kept here: neither the feed nor any
// answer that holds one passes through.

const VERSION = "VERSION";
const FILES = ["FILES"];
const CACHE = `sign-${VERSION}`;
const PATIENCE_MS = 2500;
const PAGE = /^\/sign\/[^/]+$/;
const POSTED = /^\/v1\/links\/[^/]+\/posted$/;

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(fresh))
      .then(() => self.skipWaiting()),
  );
});

// The files of a version come and go together: no sign ever runs on a mixture.
self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith("sign-") && name !== CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// A page that was loaded before its worker was there asks to be kept.
self.addEventListener("message", (event) => {
  const url = new URL(event.data.keep, location.href);
  if (url.origin === location.origin && PAGE.test(url.pathname)) {
    event.waitUntil(fetchAndKeep(new Request(url.href)).catch(() => {}));
  }
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) {
    return;
  }
  if (PAGE.test(url.pathname) || POSTED.test(url.pathname)) {
    event.respondWith(networkFirst(request, fetchAndKeep));
  } else if (FILES.includes(url.pathname)) {
    event.respondWith(networkFirst(request, fetch));
  }
});

async function networkFirst(request, load) {
  const fromNetwork = load(request);
  const kept = await caches
    .open(CACHE)
    .then((cache) => cache.match(request, { ignoreSearch: true }));
  if (kept === undefined) {
    return fromNetwork;
  }
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, null));
  const answer = await Promise.race([fromNetwork.catch(() => null), patience]);
  // A service that is starting or failing has nothing to show; what is kept has.
  return answer === null || answer.status >= 500 ? kept : answer;
}

// Pages of another version are passed on and not kept: their files would be missing.
async function fetchAndKeep(request) {
  const answer = await fetch(request);
  const page = PAGE.test(new URL(request.url).pathname);
  if (answer.ok && (!page || answer.headers.get("Sign-Version") === VERSION)) {
    const cache = await caches.open(CACHE);
    const address = new URL(request.url);
    await cache.put(address.origin + address.pathname, answer.clone());
  }
  return answer;
}
