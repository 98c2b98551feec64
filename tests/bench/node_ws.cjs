// The sign server in node, with the package `ws`: node node_ws.cjs TEMPLATE. Prints its port.
// It broadcasts as the readme of `ws` does; the text is made into bytes once for all.
"use strict";
const http = require("node:http");
const { setImmediate: turn, setTimeout: pause } = require("node:timers/promises");
const { WebSocketServer, WebSocket } = require("ws");

const [before, after] = process.argv[2].split("@SEQ@");

async function sendAll(count, pauseMs) {
  let due = performance.now();
  for (let sent = 0; sent < count; sent++) {
    const update = Buffer.from(before + process.hrtime.bigint() + after);
    for (const sign of signs.clients) {
      if (sign.readyState === WebSocket.OPEN) sign.send(update, { binary: false });
    }
    due += pauseMs;
    await (pauseMs ? pause(Math.max(0, due - performance.now())) : turn());
  }
}

const server = http.createServer((request, response) => {
  const asked = new URL(request.url, "http://localhost").searchParams;
  void sendAll(Number(asked.get("count")), Number(asked.get("pause_ms")));
  response.end();
});
const signs = new WebSocketServer({ server, perMessageDeflate: false });
server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
  console.log(server.address().port);
});
