import { option } from '#core';

/** How devices are enrolled. */
export interface DevicesOptions {
  /** Days for which the certificate of a device is good, from 1 to 825. Default: 397. */
  certificateDays?: number;
  /**
   * Under which address relying parties reach the routes of this module, such as `https://governance.example.com`.
   * Certificates then say where the revocation list is; without it they do not.
   */
  publicUrl?: string;
  /**
   * Revokes the devices of a user who is offboarded, or whom the identity provider locks out or removes. A revocation is
   * final. Default: false; they are refused while the user is suspended.
   */
  revokeOnDeparture?: boolean;
}

/** Injection token of {@link DevicesOptions}. */
export const DEVICES_OPTIONS = Symbol('governance.devices-options');

/** What the options may be. */
export const DEVICES_RULES = {
  certificateDays: option.whole(1, 825),
  publicUrl: option.webAddress(),
  revokeOnDeparture: option.flag(),
} satisfies option.RulesOf<DevicesOptions>;

const DEFAULT_CERTIFICATE_DAYS = 397;

/** The options with their defaults; `publicUrl` without a slash at its end. */
export function certificateTerms(options: DevicesOptions): { certificateDays: number; publicUrl?: string } {
  const { certificateDays = DEFAULT_CERTIFICATE_DAYS, publicUrl } = options;
  return { certificateDays, ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/, '') }) };
}
