// Who the people of an organization are, and whether they may use LLMs.

// To keep users: create, change, suspend, reinstate, import, list.
export { UserService, type UserChanges } from './user.service.js';
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
