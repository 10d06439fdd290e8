// Who the people of an organization are, and whether they may use LLMs.

// To keep users: create, change, suspend, reinstate, offboard, import, list.
export { UserService, type UserChange, type UserChanges } from './user.service.js';
export { OffboardingService, type OffboardingRequest } from './lifecycle/offboarding.service.js';
export { UserImporter, type ImportCounts, type ImportedLine, type UserImportRequest } from './import/user-importer.js';
export { IMPORT_MODES, type ImportMode, type ImportOutcome } from './import/import-line.js';
export { personDefect, type PersonToEnsure } from './ensure-users.js';
export { UserListService, type UserListQuery } from './user-list.service.js';
export { User, type SuspensionCause, type UserProfile } from './user.entity.js';
export { EmailTakenError, UserNotFoundError, UserTransitionError } from './user.errors.js';

// To look users up on every request.
export { StoredUserDirectory } from './directory/stored-user.directory.js';

// To show users over HTTP.
export { UserResponseDto } from './http/user.dto.js';
export { presentUser } from './http/user.presenter.js';

// To wire the library into the module.
export { usersFeature } from './users.feature.js';
