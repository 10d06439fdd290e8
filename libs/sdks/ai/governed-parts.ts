import type { Answered, StreamedCall } from '../call/streamed-call.js';
import type { AiPart } from './ai-types.js';
import { aiUsageOf } from './ai-usage.js';

/** Types of stream parts that contain text of the model in `delta`. */
const WRITTEN = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta']);

/** Forwards the parts of an answer and counts them. The call ends when the stream ends, fails or is canceled. */
export function governedParts<Part extends AiPart>(
  parts: ReadableStream<Part>,
  call: StreamedCall,
  signal: AbortSignal | undefined,
): ReadableStream<Part> {
  const source = parts.getReader();
  const answered: { -readonly [field in keyof Answered]: Answered[field] } = {};
  const end = (settle: () => Promise<void>): Promise<void> => {
    signal?.removeEventListener('abort', onAbort);
    return settle();
  };
  // After an abort, the caller may never read again, so the call is ended here.
  const onAbort = (): void => void end(() => call.fail(answered));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();

  return new ReadableStream<Part>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.read();
          if (done) {
            await end(() => call.fail(answered));
            controller.close();
            return;
          }
          await count(value, call, answered);
          // The final part is forwarded only after the usage is stored.
          if (value.type === 'finish') await end(() => finish(call, answered));
          controller.enqueue(value);
        } catch (error) {
          await end(() => call.fail(answered));
          controller.error(error);
          await source.cancel(error).catch(() => undefined);
        }
      },
      async cancel(reason) {
        await Promise.all([source.cancel(reason).catch(() => undefined), end(() => call.fail(answered))]);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * If a stream fails, the AI SDK's providers end it with a `finish` part without usage. The call then counts as failed.
 */
function finish(call: StreamedCall, answered: Answered): Promise<void> {
  return answered.usage ? call.settle(answered) : call.fail(answered);
}

async function count(
  part: AiPart,
  call: StreamedCall,
  answered: { -readonly [field in keyof Answered]: Answered[field] },
): Promise<void> {
  const field = (name: 'delta' | 'toolName' | 'usage' | 'id' | 'modelId'): unknown => Reflect.get(part, name);
  if (WRITTEN.has(part.type)) await call.wrote(field('delta'));
  else if (part.type === 'tool-input-start') await call.wrote(field('toolName'));
  else if (part.type === 'finish') answered.usage = aiUsageOf(field('usage'));
  else if (part.type === 'response-metadata') {
    answered.id ??= textOf(field('id'));
    answered.model ??= textOf(field('modelId'));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
