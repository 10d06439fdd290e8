// A provider in a separate process that always gives the same answer. It uses as little CPU as possible, because it
// shares the machine with the measured gateways.
import { createServer } from 'node:http';

const KEY = 'sk-bench-provider';
const MODEL = 'gpt-4o-mini-2024-07-18';
const WORDS = ['They', ' asked', ' about', ' prices', ',', ' delivery', ' times', ' and', ' returns', '.'];
const USAGE = JSON.stringify({
  ...{ prompt_tokens: 38, completion_tokens: WORDS.length, total_tokens: 38 + WORDS.length },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
});
const PLAIN = JSON.stringify({
  ...{ object: 'chat.completion', created: 1_764_000_000, model: MODEL },
  choices: [
    {
      ...{ index: 0, logprobs: null, finish_reason: 'stop' },
      message: { role: 'assistant', content: WORDS.join(''), refusal: null, annotations: [] },
    },
  ],
}).slice(1, -1);

let made = 0;

const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
  if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end('{}');
  const pieces = [];
  request.on('data', piece => void pieces.push(piece));
  request.on('end', () => answer(Buffer.concat(pieces).toString(), response));
});
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}`, key: KEY });
});
process.once('message', () => process.exit(0));

function answer(body, response) {
  const id = `chatcmpl-${process.pid}-${made++}`;
  if (!body.includes('"stream":true')) {
    const text = `{"id":"${id}",${PLAIN},"usage":${USAGE}}`;
    const length = Buffer.byteLength(text);
    return void response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(text);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const head = `data: {"id":"${id}","object":"chat.completion.chunk","created":1764000000,"model":"${MODEL}"`;
  const chunk = (delta, finish) =>
    `${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
  response.write(chunk('{"role":"assistant","content":""}', null));
  for (const word of WORDS) response.write(chunk(JSON.stringify({ content: word }), null));
  const usage = body.includes('"include_usage":true') ? `${head},"choices":[],"usage":${USAGE}}\n\n` : '';
  response.end(`${chunk('{}', '"stop"')}${usage}data: [DONE]\n\n`);
}
