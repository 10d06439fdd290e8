import type { Ledger, ServedCall } from './ledger.js';
import type { Death, Script } from './script.js';
import { ProviderError, type Frame, type ModelAnswer } from './vendor.js';
import type { AnswerWriter } from './answer-writer.js';

/** The context for one answer of a model. */
export interface Serving {
  call: ServedCall;
  ledger: Ledger;
  script: Script;
  answer: ModelAnswer;
  writer: AnswerWriter;
  headers: Record<string, string>;
  acceptsGzip: boolean;
  /** Answers with an error object. */
  refuse(error: ProviderError): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Sends an answer. Records the part that the client received, even if the answer breaks off. */
export async function serve(serving: Serving): Promise<void> {
  const { call, script, writer } = serving;
  if (script.firstByteMs !== undefined) await writer.pause(script.firstByteMs);
  if (writer.isGone) return;
  if (script.death?.at === 'request') return die(serving, script.death.how);
  // From here on, the vendor bills the prompt and the reasoning: it has read the prompt, and the hidden reasoning comes
  // before the first token.
  const { promptTokens, cachedTokens, cacheWriteTokens } = serving.answer.generation;
  Object.assign(call, { promptTokens, cachedTokens, cacheWriteTokens });
  call.answerId = serving.answer.id;
  call.answeredModel = serving.answer.model;
  count(serving, 0);
  if (call.stream) await stream(serving);
  else await plain(serving);
}

/** Records this many tokens as sent. Counts at least as many generated tokens as the stream has reported. */
function count({ call, answer }: Serving, sentTokens: number, reported = 0): void {
  const produced = Math.max(sentTokens, reported);
  call.sentTokens = sentTokens;
  call.outputTokens = answer.generation.reasoningTokens + produced;
  call.usage = answer.usage(produced);
}

async function plain(serving: Serving): Promise<void> {
  const { call, answer, script, writer, headers, acceptsGzip, ledger } = serving;
  const body = Buffer.from(answer.plain());
  const { death } = script;
  if (death?.how === 'error' || death?.how === 'failed') {
    unserved(serving);
    return serving.refuse(new ProviderError(500, 'The server had an error while processing your request.'));
  }
  const isCompressed = script.encoding === 'gzip' && acceptsGzip;
  const length: Record<string, string> = isCompressed ? {} : { 'content-length': String(body.length) };
  call.status = 200;
  writer.head(200, { ...JSON_TYPE, ...headers, ...length }, acceptsGzip);
  // The model generates the whole answer before the first byte is sent.
  count(serving, answer.generation.visibleTokens);
  if (death !== undefined) {
    if (death.at !== 'headers') await writer.write(body.subarray(0, body.length >> 1));
    return die(serving, death.how);
  }
  await writer.write(body);
  call.usageSent = true;
  await writer.end(() => ledger.end(call, 'finished'));
}

async function stream(serving: Serving): Promise<void> {
  const { call, answer, script, writer, headers, acceptsGzip, ledger } = serving;
  const { death } = script;
  call.status = 200;
  writer.head(200, { ...STREAM_TYPE, ...headers }, acceptsGzip);
  if (death?.at === 'headers') return die(serving, death.how);
  const limit = typeof death?.at === 'number' ? death.at : Number.POSITIVE_INFINITY;
  let sent = 0;
  for (const frame of answer.frames()) {
    if (death !== undefined && (sent + frame.tokens > limit || (sent > 0 && sent >= limit && isEnd(frame)))) {
      if (script.midFrame) await writer.frame(frame, 0.5);
      return die(serving, death.how);
    }
    await writer.frame(frame);
    if (writer.isGone) return;
    sent += frame.tokens;
    if (frame.reports !== undefined || frame.tokens > 0) {
      count(serving, sent, frame.reports);
      ledger.changed();
    }
    if (frame.isUsage) call.usageSent = true;
  }
  await writer.end(() => ledger.end(call, 'finished'));
}

/** The events after the last token: finish reasons, usage, the end of blocks and of the stream. */
function isEnd(frame: Frame): boolean {
  return frame.tokens === 0;
}

async function die(serving: Serving, how: Death): Promise<void> {
  const { call, ledger, writer, answer, script } = serving;
  await script.death?.when;
  if (how === 'hang') return writer.hang();
  if (how === 'error' || how === 'failed') {
    if (call.status === 0) {
      return serving.refuse(new ProviderError(500, 'The server had an error while processing your request.'));
    }
    for (const frame of answer.deathFrames(how === 'failed')) await writer.frame(frame);
  }
  // Records the outcome first. Otherwise the end of the connection would be recorded as caused by the client.
  if (!writer.isGone) ledger.end(call, 'died');
  if (how === 'reset') return writer.reset();
  if (how === 'close') return writer.close();
  if (call.status > 0) return writer.end(() => undefined);
  return writer.close();
}

function unserved({ call }: Serving): void {
  Object.assign(call, {
    promptTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    sentTokens: 0,
    usage: undefined,
  });
}
