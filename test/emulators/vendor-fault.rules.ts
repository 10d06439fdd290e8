import { describe, expect, it } from '@jest/globals';
import type { PlatformEndpoint } from '../support/itsm/platform-endpoint.js';
import type { VendorAnswer } from './vendor-client.js';
import { VENDOR_FAULTS, type FaultyPlatform } from './vendor-faults.js';

/** An emulator as the fault rules use it. */
export interface FaultRules {
  readonly platform: () => PlatformEndpoint & FaultyPlatform;
  /** Sends a request that creates a resource. */
  readonly create: () => Promise<VendorAnswer>;
  /** The number of created resources. */
  readonly count: () => number;
  /** The status of a successful request. */
  readonly success: number;
  /** Whether a success has no body. Default: false. */
  readonly isBare?: boolean;
}

/** Checks the faults that a test can switch on in every emulator. */
export function describeVendorFaults({ platform, create, count, success, isBare = false }: FaultRules): void {
  describe('faults that a test switches on', () => {
    const done = { 'answer lost': 1, late: 1, 'broken JSON': 1, '429': 0, '500': 0, 'connection reset': 0 };
    const seen = {
      ...{ 'answer lost': undefined, 'connection reset': undefined },
      ...{ late: success, 'broken JSON': success, '429': 429, '500': 500 },
    };

    it.each(VENDOR_FAULTS)(
      '“%s” is what the client sees while the fault is on, and has no effect afterwards',
      async name => {
        const fault = platform().fault(name);
        const answer = create();
        await platform().reach(1);
        // Checks the count while a late answer is still delayed.
        expect(count()).toBe(done[name]);
        if (name === 'late') fault.end();
        const { status, json } = await answer;
        expect(status).toBe(seen[name]);
        // Some vendors refuse with plain text.
        const isBroken = ['answer lost', 'connection reset', 'broken JSON'].includes(name);
        expect(json === undefined && name !== '429').toBe(isBroken || (isBare && name === 'late'));
        fault.end();
        expect(await create()).toMatchObject({ status: success });
      },
    );

    it('affect only the requests that they select', async () => {
      platform().fault('500', ({ method }) => method === 'GET');
      expect(await create()).toMatchObject({ status: success });
    });
  });
}
