import { describe, expect, it } from '@jest/globals';
import type { PlatformEndpoint } from '../support/itsm/platform-endpoint.js';
import type { VendorAnswer } from './vendor-client.js';
import { VENDOR_FAULTS, type FaultyPlatform } from './vendor-faults.js';

/** An emulator as the rules of faults see it. */
export interface FaultRules {
  readonly platform: () => PlatformEndpoint & FaultyPlatform;
  /** Sends a request that creates something. */
  readonly create: () => Promise<VendorAnswer>;
  /** How much has been created. */
  readonly count: () => number;
  /** The status of a request that succeeds. */
  readonly success: number;
  /** Whether a success has no body. Default: false. */
  readonly isBare?: boolean;
}

/** Checks the faults on demand that every emulator has. */
export function describeVendorFaults({ platform, create, count, success, isBare = false }: FaultRules): void {
  describe('faults on demand', () => {
    const done = { 'answer lost': 1, late: 1, 'broken JSON': 1, '429': 0, '500': 0, 'connection reset': 0 };
    const seen = {
      ...{ 'answer lost': undefined, 'connection reset': undefined },
      ...{ late: success, 'broken JSON': success, '429': 429, '500': 500 },
    };

    it.each(VENDOR_FAULTS)('“%s” is what the client sees while it lasts, and nothing remains of it', async name => {
      const fault = platform().fault(name);
      const answer = create();
      await platform().reach(1);
      // A late answer is still held back here.
      expect(count()).toBe(done[name]);
      if (name === 'late') fault.end();
      const { status, json } = await answer;
      expect(status).toBe(seen[name]);
      // Some vendors refuse with a plain text.
      const isBroken = ['answer lost', 'connection reset', 'broken JSON'].includes(name);
      expect(json === undefined && name !== '429').toBe(isBroken || (isBare && name === 'late'));
      fault.end();
      expect(await create()).toMatchObject({ status: success });
    });

    it('disturb only the requests that they are for', async () => {
      platform().fault('500', ({ method }) => method === 'GET');
      expect(await create()).toMatchObject({ status: success });
    });
  });
}
