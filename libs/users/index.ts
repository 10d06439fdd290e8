// Manages users, their access to LLMs, and their devices.

// Manage users: create, change, suspend, reinstate, offboard, import, list
export { UserService, type UserChange, type UserChanges } from './user.service.js';
export { OffboardingService, type OffboardingRequest } from './lifecycle/offboarding.service.js';
export { UserImporter, type ImportCounts, type ImportedLine, type UserImportRequest } from './import/user-importer.js';
export { IMPORT_MODES, type ImportMode, type ImportOutcome } from './import/import-line.js';
export { personDefect, type PersonToEnsure } from './ensure-users.js';
export { UserErasure, type ErasureReport } from './privacy/user-erasure.js';
export { PersonalExport } from './privacy/personal-export.js';
export { UserListService, type UserListQuery } from './user-list.service.js';
export { User, type SuspensionCause } from './user.entity.js';
export type { UserProfile } from './user-profile.js';
export { EmailTakenError, UserNotFoundError, UserTransitionError } from './user.errors.js';

// Manage devices: create enrollments, read, revoke, list
export { EnrollmentService, type EnrollmentDraft, type IssuedEnrollment } from './devices/enroll/enrollment.service.js';
export { DeviceService, type Revocation } from './devices/device.service.js';
export { DeviceListService, type DeviceListQuery } from './devices/device-list.service.js';
export { Device } from './devices/device.entity.js';
export { DeviceEnrollment } from './devices/device-enrollment.entity.js';
export type { RevocationCode } from './devices/certificates/index.js';
export { DeviceNotFoundError, DeviceStateError, EnrollmentNotFoundError } from './devices/device.errors.js';
export { DEVICES_OPTIONS, DEVICES_RULES, type DevicesOptions } from './devices/devices.options.js';

// Look users and devices up on every request
export { StoredUserDirectory } from './directory/stored-user-directory.js';
export { StoredDeviceDirectory } from './devices/directory/stored-device-directory.js';

// Present users and devices over HTTP
export { UserResponseDto } from './http/user.dto.js';
export { DeviceResponseDto } from './devices/http/device-response.dto.js';
export { presentDevice } from './devices/http/device.presenter.js';
export { presentUser } from './http/user.presenter.js';

// Nest modules of this library
export { DevicesModule } from './devices/devices.module.js';
export { UsersModule } from './users.module.js';
export { Lockouts } from './lifecycle/lockouts.js';
