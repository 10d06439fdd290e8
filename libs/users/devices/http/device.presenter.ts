import { pemOf } from '../certificates/index.js';
import type { Device } from '../device.entity.js';
import type { DeviceWithCertificate } from '../enroll/device-certifier.js';
import type { IssuedEnrollment } from '../enroll/enrollment.service.js';
import type { DeviceResponseDto, DeviceWithCertificateResponseDto } from './device-response.dto.js';
import type { EnrollmentResponseDto } from './device.dto.js';

/** A device as the API shows it at a time. */
export function presentDevice(device: Device, now: Date): DeviceResponseDto {
  return {
    id: device.id,
    org_id: device.orgId,
    user_id: device.userId,
    name: device.name,
    status: device.statusAt(now),
    certificate_serial: device.certificateSerial,
    fingerprint_sha256: device.fingerprint,
    certificate_expires_at: device.certificateExpiresAt.toISOString(),
    revoked_at: device.revokedAt?.toISOString() ?? null,
    revocation_reason: device.revocationReason,
    crl_reason: device.crlReason,
    created_at: device.createdAt.toISOString(),
    updated_at: device.updatedAt.toISOString(),
  };
}

/** A device with the certificate that it was just given. */
export function presentWithCertificate(
  { device, certificate, authority }: DeviceWithCertificate,
  now: Date,
): DeviceWithCertificateResponseDto {
  return {
    device: presentDevice(device, now),
    certificate: pemOf('CERTIFICATE', certificate.certificate),
    ca_certificate: pemOf('CERTIFICATE', authority.certificate),
  };
}

/** An enrollment with its token. */
export function presentEnrollment({ enrollment, token }: IssuedEnrollment): EnrollmentResponseDto {
  return {
    id: enrollment.id,
    org_id: enrollment.orgId,
    user_id: enrollment.userId,
    name: enrollment.name,
    token,
    expires_at: enrollment.expiresAt.toISOString(),
    created_at: enrollment.createdAt.toISOString(),
  };
}
