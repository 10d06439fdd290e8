import type { CallUsage, OpenCall } from '#calls';

/**
 * Ends a call whose answer has reached the caller. A failure is not passed on: the answer is paid for, the caller would
 * only pay for another one, and the call is settled again and again as long as the process lives.
 */
export async function settled(call: OpenCall, usage: CallUsage): Promise<void> {
  await call.settle(usage).catch(() => undefined);
}
