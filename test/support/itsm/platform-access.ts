import { afterAll, beforeAll } from '@jest/globals';
import { EgressClient } from '#egress';
import { makeAuthority, trustInThisProcess, type Authority } from '../certificates.js';

/** The setup of a test file for emulated platforms over HTTPS: a trusted certificate authority and a client. */
export interface PlatformAccess {
  /** Signs the certificates of emulators. */
  readonly authority: Authority;
  readonly egress: EgressClient;
}

/**
 * Registers hooks that open and close the access for a test file. Its fields can be used once the first test begins.
 */
export function platformAccess(): PlatformAccess {
  let authority: Authority | undefined;
  let egress: EgressClient | undefined;
  let distrust: (() => void) | undefined;
  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  });
  afterAll(async () => {
    await egress?.close();
    distrust?.();
  });
  const begun = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('platformAccess() can be used from the hooks of the tests on.');
    return value;
  };
  return {
    get authority() {
      return begun(authority);
    },
    get egress() {
      return begun(egress);
    },
  };
}
