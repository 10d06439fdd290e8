import { Module } from '@nestjs/common';
import { DeviceDirectory, UserDirectory } from '#core';
import type { Library } from '#database';
import { DevicesMigration0310 } from '../migrations/0310-devices.migration.js';
import { DeviceAuthorityCache } from './authority/device-authority-cache.js';
import { DeviceAuthorities } from './authority/device-authorities.js';
import { RevocationLists } from './authority/revocation-lists.js';
import { DeviceAuthority } from './device-authority.entity.js';
import { DeviceCertificate } from './device-certificate.entity.js';
import { DeviceEnrollment } from './device-enrollment.entity.js';
import { DeviceLedger } from './device-ledger.js';
import { DeviceListService } from './device-list.service.js';
import { Device } from './device.entity.js';
import { DeviceUsers } from './device-users.js';
import { DeviceService } from './device.service.js';
import { PersonalDevices } from './personal-devices.js';
import { StoredDeviceDirectory } from './directory/stored-device-directory.js';
import { DeviceCertifier } from './enroll/device-certifier.js';
import { DeviceEnroller } from './enroll/device-enroller.js';
import { DeviceRenewal } from './enroll/device-renewal.js';
import { EnrollmentService } from './enroll/enrollment.service.js';
import { PublicDeviceController } from './http/public-device.controller.js';
import { DevicesController } from './http/devices.controller.js';
import { EnrollmentsController } from './http/enrollments.controller.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for devices and their certificates. */
@Module({})
export class DevicesModule {
  static readonly library: Library = {
    name: 'devices',
    providers: [
      DeviceLedger,
      DeviceUsers,
      DeviceAuthorities,
      RevocationLists,
      DeviceAuthorityCache,
      DeviceCertifier,
      EnrollmentService,
      DeviceEnroller,
      DeviceRenewal,
      DeviceService,
      PersonalDevices,
      DeviceListService,
      StoredDeviceDirectory,
    ],
    ports: [{ provide: DeviceDirectory, useExisting: StoredDeviceDirectory }],
    requires: [UserDirectory],
    // The router matches in this order, so controllers with fixed paths come before the controller whose path is an id.
    controllers: [EnrollmentsController, PublicDeviceController, DevicesController],
    entities: [DeviceAuthority, DeviceEnrollment, Device, DeviceCertificate],
    migrations: [
      {
        name: '0310_devices',
        class: DevicesMigration0310,
        tables: ['device_authorities', 'device_certificates', 'device_enrollments', 'devices'],
      },
    ],
    personal: PERSONAL_TABLES,
    exports: [EnrollmentService, DeviceService, DeviceListService],
  };
}
