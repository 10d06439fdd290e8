import type { CallUsage, OpenCall } from '#calls';

/**
 * Records the usage of a call whose answer has reached the caller. If this fails, the caller gets no error, because a
 * retry would cost another answer. The process repeats the recording as long as it runs.
 */
export async function settled(call: OpenCall, usage: CallUsage): Promise<void> {
  await call.settle(usage).catch(() => undefined);
}
