import { option } from '#core';

/** Options of devices. */
export interface DevicesOptions {
  /** Days for which a device certificate is valid, from 1 to 825. Default: 397. */
  certificateDays?: number;
  /**
   * Public address of this module's routes, such as `https://governance.example.com`. Certificates then contain the
   * address of the revocation list.
   */
  publicUrl?: string;
  /**
   * Whether a device is revoked permanently when its user is offboarded, or deactivated or removed by the identity
   * provider. Default: false. Requests of the device are then refused only while the user is suspended.
   */
  revokeOnDeparture?: boolean;
}

/** Injection token of {@link DevicesOptions}. */
export const DEVICES_OPTIONS = Symbol('governance.devices-options');

/** Rules that the options must satisfy. */
export const DEVICES_RULES = {
  certificateDays: option.whole(1, 825),
  publicUrl: option.webAddress(),
  revokeOnDeparture: option.flag(),
} satisfies option.RulesOf<DevicesOptions>;

const DEFAULT_CERTIFICATE_DAYS = 397;

/** The options with defaults; `publicUrl` without a trailing slash. */
export function certificateTerms(options: DevicesOptions): { certificateDays: number; publicUrl?: string } {
  const { certificateDays = DEFAULT_CERTIFICATE_DAYS, publicUrl } = options;
  return { certificateDays, ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/, '') }) };
}
