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

const DEFAULT_CERTIFICATE_DAYS = 397;
const MAX_CERTIFICATE_DAYS = 825;

/** The options, checked and with their defaults; `publicUrl` without a slash at its end. @throws Error naming the option */
export function checkedDevicesOptions(options: DevicesOptions): { certificateDays: number; publicUrl?: string } {
  const { certificateDays = DEFAULT_CERTIFICATE_DAYS, publicUrl } = options;
  if (!Number.isInteger(certificateDays) || certificateDays < 1 || certificateDays > MAX_CERTIFICATE_DAYS) {
    throw new Error(`devices.certificateDays: must be a whole number from 1 to ${MAX_CERTIFICATE_DAYS}`);
  }
  if (publicUrl === undefined) return { certificateDays };
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error('devices.publicUrl: must be an http or https URL such as https://governance.example.com');
  }
  return { certificateDays, publicUrl: url.href.replace(/\/+$/, '') };
}
