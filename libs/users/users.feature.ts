import { UserDirectory } from '#core';
import type { Feature } from '#database';
import { deviceParts } from './devices/devices.parts.js';
import { StoredUserDirectory } from './directory/stored-user.directory.js';
import { UsersController } from './http/users.controller.js';
import { UsersMigration0300 } from './migrations/0300-users.migration.js';
import { User } from './user.entity.js';
import { UserListService } from './user-list.service.js';
import { UserService } from './user.service.js';

/** Users, their devices, and the directories of both that decisions and usage read. */
export const usersFeature: Feature = {
  providers: [
    UserService,
    UserListService,
    StoredUserDirectory,
    { provide: UserDirectory, useExisting: StoredUserDirectory },
    ...deviceParts.providers,
  ],
  controllers: [UsersController, ...deviceParts.controllers],
  entities: [User, ...deviceParts.entities],
  migrations: [{ name: '0300_users', class: UsersMigration0300 }, ...deviceParts.migrations],
};
