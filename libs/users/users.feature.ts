import { UserDirectory } from '#core';
import type { Feature } from '#database';
import { deviceParts } from './devices/devices.parts.js';
import { StoredUserDirectory } from './directory/stored-user.directory.js';
import { UsersController } from './http/users.controller.js';
import { UserImporter } from './import/user-importer.js';
import { UsersImportController } from './import/users-import.controller.js';
import { DepartureLane } from './lifecycle/departure.lane.js';
import { Lockouts } from './lifecycle/lockouts.js';
import { OffboardingService } from './lifecycle/offboarding.service.js';
import { UsersMigration0300 } from './migrations/0300-users.migration.js';
import { SCIM_CONTROLLERS, SCIM_ENTITIES, SCIM_MIGRATION, SCIM_PROVIDERS } from './scim/scim.parts.js';
import { User } from './user.entity.js';
import { UserListService } from './user-list.service.js';
import { UserService } from './user.service.js';

/** Users, their devices, and the directories of both that decisions and usage read. */
export const usersFeature: Feature = {
  providers: [
    Lockouts,
    UserService,
    UserListService,
    OffboardingService,
    DepartureLane,
    UserImporter,
    StoredUserDirectory,
    { provide: UserDirectory, useExisting: StoredUserDirectory },
    ...deviceParts.providers,
    ...SCIM_PROVIDERS,
  ],
  controllers: [UsersImportController, UsersController, ...deviceParts.controllers, ...SCIM_CONTROLLERS],
  entities: [User, ...deviceParts.entities, ...SCIM_ENTITIES],
  migrations: [{ name: '0300_users', class: UsersMigration0300 }, ...deviceParts.migrations, SCIM_MIGRATION],
};
