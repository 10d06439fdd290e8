import { presenterOf } from '#access';
import { pemOf } from '../certificates/index.js';
import type { DeviceEnrollment } from '../device-enrollment.entity.js';
import type { Device } from '../device.entity.js';
import type { DeviceWithCertificate } from '../enroll/device-certifier.js';
import type { IssuedEnrollment } from '../enroll/enrollment.service.js';
import { DeviceResponseDto, type DeviceWithCertificateResponseDto } from './device-response.dto.js';
import { EnrollmentResponseDto } from './device.dto.js';

/** Maps a device to the API, with its status at a time. */
export const presentDevice = presenterOf(DeviceResponseDto, (device: Device, now: Date) => ({
  status: device.statusAt(now),
  fingerprint_sha256: device.fingerprint,
}));

/** Maps a device and its newly issued certificate. */
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

const presentWithToken = presenterOf(EnrollmentResponseDto, (_: DeviceEnrollment, token: string) => ({ token }));

/** Maps an enrollment and its token. */
export function presentEnrollment({ enrollment, token }: IssuedEnrollment): EnrollmentResponseDto {
  return presentWithToken(enrollment, token);
}
