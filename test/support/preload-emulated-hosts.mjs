// Preloaded into a process. Connects the names in EMULATED_HOSTS to local ports, so that `slack.com` is an emulator on
// this machine. Certificates are verified for these names as usual.
import { Resolver } from 'node:dns/promises';
import tls from 'node:tls';

/** The ports by host name: `{"slack.com": 40123}`. */
const ports = new Map(Object.entries(JSON.parse(process.env.EMULATED_HOSTS ?? '{}')));

const { resolve4, resolve6 } = Resolver.prototype;
Resolver.prototype.resolve4 = function (name, ...rest) {
  return ports.has(name) ? Promise.resolve(['127.0.0.1']) : resolve4.call(this, name, ...rest);
};
Resolver.prototype.resolve6 = function (name, ...rest) {
  return ports.has(name) ? Promise.resolve([]) : resolve6.call(this, name, ...rest);
};

const { connect } = tls;
tls.connect = (options, ...rest) => {
  const port = ports.get(options.servername ?? options.host);
  return connect.call(tls, port === undefined ? options : { ...options, port }, ...rest);
};
