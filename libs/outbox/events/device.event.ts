import { describeEvent, textField, uuidField, type FieldsOf } from './event-description.js';

/** `data` of `device_enrolled` and `device_revoked`. */
export interface DeviceData {
  device_id: string;
  user_id: string;
  name: string;
  certificate_serial: string;
  fingerprint_sha256: string;
}

const FIELDS: FieldsOf<DeviceData> = {
  device_id: uuidField('The device.'),
  user_id: textField('The user whose device it is.'),
  name: textField('Name of the device.'),
  certificate_serial: {
    ...textField('Serial number of its certificate in lower-case hexadecimal.'),
    pattern: '^[0-9a-f]+$',
  },
  fingerprint_sha256: {
    ...textField('SHA-256 of the certificate (DER) in lower-case hexadecimal.'),
    pattern: '^[0-9a-f]{64}$',
  },
};

const EXAMPLE: DeviceData = {
  device_id: '0199c2a8-a571-7f6e-9b28-0c4d81e3f659',
  user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  name: 'Laptop 17',
  certificate_serial: '5e3a0c41d29b7f10',
  fingerprint_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const DEVICE_ENROLLED = describeEvent(
  'device_enrolled',
  'A new device completed its enrollment.',
  EXAMPLE,
  FIELDS,
);

export const DEVICE_REVOKED = describeEvent(
  'device_revoked',
  'The certificate of a device was revoked.',
  EXAMPLE,
  FIELDS,
);
