import type { CallUsage, OpenCall } from '#calls';

/**
 * Ends a call whose answer has reached the caller. A failure is not reported to the caller, because a retry would cost
 * a second answer. The process retries the settlement as long as it runs.
 */
export async function settled(call: OpenCall, usage: CallUsage): Promise<void> {
  await call.settle(usage).catch(() => undefined);
}
