import { presenterOf } from '#access';
import type { User } from '../user.entity.js';
import { UserResponseDto } from './user.dto.js';

/** A user as the API shows it. */
export const presentUser = presenterOf(UserResponseDto, (_: User) => ({}));
