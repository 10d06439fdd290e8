import { randomUUID } from 'node:crypto';
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { DeviceDirectory, DeviceStatus } from '#core';
import { becomes, casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A device and its user. */
export interface EnrolledDevice {
  readonly deviceId: string;
  readonly userId: string;
}

/** A directory under test, with functions that change its source. Created for each case. */
export interface DeviceDirectoryGround extends Closable {
  readonly directory: DeviceDirectory;
  readonly orgId: string;
  /** Another organization. Default: one that is unknown to the source. */
  readonly otherOrgId?: string;
  /** Adds a device of a new user. */
  enroll(): Promise<EnrolledDevice>;
  /** Revokes a device. */
  revoke(deviceId: string): Promise<void>;
  /** Makes a device's certificate expire. Omit it if devices do not expire. */
  expire?(deviceId: string): Promise<void>;
  /** Makes the source unreachable. Omit it if that is impossible. */
  readonly cutOff?: () => Promise<void> | void;
}

/**
 * The contract of `DeviceDirectory` requires a change to be visible within one second. The rest is for a busy machine.
 */
const PROMISE_MS = 1_500;
const MANY = 50;
const ODD_TEXTS = ['', ' ', 'laptop', '*', '__proto__', 'constructor', '\u0000', "' or 1=1", 'a'.repeat(10_000)];

const RULES: Record<string, (ground: DeviceDirectoryGround) => Promise<void>> = {
  async 'returns active for an enrolled device of the user'(ground) {
    await enrolled(ground);
  },
  async 'returns unknown for a device of another user, and for an unknown user'(ground) {
    const [one, two] = [await enrolled(ground), await enrolled(ground)];
    for (const userId of [two.userId, randomUUID(), undefined]) {
      equal(await statusOf(ground, { deviceId: one.deviceId, userId }), 'unknown');
    }
  },
  async 'returns unknown for any text that is not a device id, and never throws'(ground) {
    const { userId } = await enrolled(ground);
    for (const text of [...ODD_TEXTS, randomUUID()]) {
      equal(await statusOf(ground, { deviceId: text, userId }), 'unknown', text.slice(0, 40));
      equal(await statusOf(ground, { deviceId: text, userId: undefined }), 'unknown', text.slice(0, 40));
    }
  },
  async 'returns unknown in another organization'(ground) {
    const device = await enrolled(ground);
    equal(
      await ground.directory.statusOf(ground.otherOrgId ?? randomUUID(), device.deviceId, device.userId),
      'unknown',
    );
  },
  async 'returns revoked within a second after a revocation, and active for the other devices'(ground) {
    const [one, two] = [await enrolled(ground), await enrolled(ground)];
    await ground.revoke(one.deviceId);
    await becomes(PROMISE_MS, async () => equal(await statusOf(ground, one), 'revoked'));
    equal(await statusOf(ground, two), 'active');
  },
  async 'returns expired after the certificate of a device has expired'(ground) {
    if (!ground.expire) return;
    const device = await enrolled(ground);
    await ground.expire(device.deviceId);
    await becomes(PROMISE_MS, async () => equal(await statusOf(ground, device), 'expired'));
  },
  async 'answers concurrent calls correctly'(ground) {
    const devices = [await enrolled(ground), await enrolled(ground)];
    const asked = Array.from({ length: MANY }, (_, n) => devices[n % 2]?.deviceId ?? '');
    const found = await Promise.all(
      asked.map(async deviceId => statusOf(ground, { deviceId, userId: devices[0]?.userId })),
    );
    deepEqual(
      found,
      asked.map((_, n) => (n % 2 === 0 ? 'active' : 'unknown')),
    );
  },
  async 'throws or still knows the device, and never returns unknown, while its source is unreachable'(ground) {
    if (!ground.cutOff) return;
    const device = await enrolled(ground);
    await ground.cutOff();
    const answer = await statusOf(ground, device).catch(() => 'failed' as const);
    ok(answer === 'failed' || answer === 'active', `it answered ${answer}`);
  },
};

async function statusOf(
  { directory, orgId }: DeviceDirectoryGround,
  { deviceId, userId }: { deviceId: string; userId: string | undefined },
): Promise<DeviceStatus> {
  return directory.statusOf(orgId, deviceId, userId);
}

/** Enrolls a device, and waits until the directory reports it as active. */
async function enrolled(ground: DeviceDirectoryGround): Promise<EnrolledDevice> {
  const device = await ground.enroll();
  await becomes(PROMISE_MS, async () => equal(await statusOf(ground, device), 'active', 'a new device is active'));
  return device;
}

/**
 * The contract of `DeviceDirectory`: the cases that every directory must pass. `makeGround` is called for each case.
 */
export function deviceDirectoryContract(
  makeGround: () => Promise<DeviceDirectoryGround> | DeviceDirectoryGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
