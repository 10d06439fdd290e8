import type { JsonObject } from '#core';
import type { DeviceData } from '#outbox';
import type { DeviceEnrollment } from './device-enrollment.entity.js';
import type { Device } from './device.entity.js';

/** The audit log's representation of a device. */
export function auditedDevice(device: Device): JsonObject {
  return {
    user_id: device.userId,
    name: device.name,
    certificate_serial: device.certificateSerial,
    fingerprint_sha256: device.fingerprint,
    certificate_expires_at: device.certificateExpiresAt.toISOString(),
    revoked_at: device.revokedAt?.toISOString() ?? null,
    revocation_reason: device.revocationReason,
    crl_reason: device.crlReason,
  };
}

/** The audit log's representation of an enrollment, without its token. */
export function auditedEnrollment(enrollment: DeviceEnrollment): JsonObject {
  return {
    user_id: enrollment.userId,
    name: enrollment.name,
    expires_at: enrollment.expiresAt.toISOString(),
    cancelled_at: enrollment.cancelledAt?.toISOString() ?? null,
  };
}

/** A device in event data. */
export function deviceData(device: Device): DeviceData {
  return {
    device_id: device.id,
    user_id: device.userId,
    name: device.name,
    certificate_serial: device.certificateSerial,
    fingerprint_sha256: device.fingerprint,
  };
}
