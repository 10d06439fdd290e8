import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

const FIELDS = {
  device_id: f.uuid('0199c2a8-a571-7f6e-9b28-0c4d81e3f659', 'The device.'),
  user_id: f.text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'The user whose device it is.'),
  name: f.text('Laptop 17', 'Name of the device.'),
  certificate_serial: f.text('5e3a0c41d29b7f10', 'Serial number of its certificate in lower-case hexadecimal.', {
    pattern: '^[0-9a-f]+$',
  }),
  fingerprint_sha256: f.text(
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'SHA-256 of the certificate (DER) in lower-case hexadecimal.',
    { pattern: '^[0-9a-f]{64}$' },
  ),
};

export const DEVICE_ENROLLED = describeEvent('device_enrolled', 'A new device completed its enrollment.', FIELDS);

export const DEVICE_REVOKED = describeEvent('device_revoked', 'The certificate of a device was revoked.', FIELDS);

/** `data` of `device_enrolled` and `device_revoked`. */
export type DeviceData = typeof DEVICE_ENROLLED.example;
