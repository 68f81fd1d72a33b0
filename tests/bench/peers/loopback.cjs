// Keeps a server that would listen on every address of the machine on loopback.
"use strict";
const { Server } = require("node:net");

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  const ready = rest.find((one) => typeof one === "function");
  return listen.call(this, { port, host: "127.0.0.1" }, ready);
};
