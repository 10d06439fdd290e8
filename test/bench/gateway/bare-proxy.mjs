// The least work of a gateway: forwards each request to the provider with the provider's key, and forwards the answer
// back. Uses the same server and client as the gateway, Node's HTTP server and undici, and buffers no chunk of an
// answer.
import { createServer } from 'node:http';
import { Agent } from 'undici';

const [providerUrl, apiKey] = process.argv.slice(2);
const agent = new Agent({ pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
const headers = [
  'accept-encoding',
  'identity',
  'authorization',
  `Bearer ${apiKey}`,
  'content-type',
  'application/json',
];

const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
  const pieces = [];
  request.on('data', piece => void pieces.push(piece));
  request.on('end', () => {
    const { method, url: path } = request;
    agent.dispatch({ origin: providerUrl, path, method, headers, body: Buffer.concat(pieces) }, answerTo(response));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}`, headers: {} });
});
process.once('message', () => process.exit(0));

function answerTo(response) {
  return {
    onRequestStart() {
      // Nothing to prepare.
    },
    onResponseStart(_controller, status, { 'content-type': type, 'content-length': length }) {
      response.writeHead(status, {
        'content-type': type,
        ...(length === undefined ? {} : { 'content-length': length }),
      });
    },
    onResponseData(_controller, chunk) {
      response.write(chunk);
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      response.destroy();
    },
  };
}
