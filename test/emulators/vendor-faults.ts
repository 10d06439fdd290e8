import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { BEHAVIOURS } from '../support/endpoint-behaviours.js';
import type { Doing } from '../support/https-endpoint.js';
import { toBehaviour, type PlatformEndpoint, type PlatformRequest } from '../support/itsm/platform-endpoint.js';
import { held } from '../support/itsm/platform-faults.js';

/** Faults between a client and any vendor. */
export const VENDOR_FAULTS = ['answer lost', 'late', '429', '500', 'broken JSON', 'connection reset'] as const;

export type VendorFault = (typeof VENDOR_FAULTS)[number];

/** A fault that is active until the test ends it. */
export interface LastingFault {
  /** Ends the fault and sends the delayed answers. */
  end(): void;
}

export interface FaultyPlatform {
  /**
   * Disturbs requests from now on, one fault at a time:
   * - `answer lost`: the vendor handles the request, and the connection breaks before the answer;
   * - `late`: the vendor handles the request on arrival, and the answer waits for `end()`;
   * - `broken JSON`: the vendor handles the request, and the body of the answer breaks off in its middle;
   * - `429`, `500`: the vendor refuses the request in its own error format;
   * - `connection reset`: the connection breaks, and the vendor does not handle the request.
   * @param of Selects the disturbed requests. Default: all.
   */
  fault(name: VendorFault, of?: (request: PlatformRequest) => boolean): LastingFault;
}

/** The vendor's refusal of a request. */
export interface VendorRefusals {
  readonly throttled: PlatformAnswer;
  readonly failed: PlatformAnswer;
}

/** Lets tests switch on faults of a platform. */
export function withFaults<P extends PlatformEndpoint>(platform: P, refusals: VendorRefusals): P & FaultyPlatform {
  return Object.assign(platform, {
    fault: (name: VendorFault, of: (request: PlatformRequest) => boolean = () => true): LastingFault => {
      const late = held();
      const disturb: Record<VendorFault, (perform: () => PlatformAnswer) => Doing> = {
        'answer lost': perform => {
          perform();
          return BEHAVIOURS.reset;
        },
        late: perform => late.fault(() => toBehaviour(perform())),
        'broken JSON': perform => toBehaviour(brokenOff(perform())),
        '429': () => toBehaviour(refusals.throttled),
        '500': () => toBehaviour(refusals.failed),
        'connection reset': () => BEHAVIOURS.reset,
      };
      platform.intercept((request, perform) => (of(request) ? disturb[name](perform) : undefined));
      return {
        end: () => {
          platform.intercept();
          late.release();
        },
      };
    },
  });
}

/** The same answer with only the first half of its body. */
function brokenOff({ status, headers, json, text = '' }: PlatformAnswer): PlatformAnswer {
  const body = json === undefined ? text : JSON.stringify(json);
  return {
    status,
    text: body.slice(0, Math.ceil(body.length / 2)),
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  };
}
