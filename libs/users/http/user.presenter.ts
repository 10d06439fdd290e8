import { presenterOf } from '#access';
import { UserResponseDto } from './user.dto.js';

/** A user as the API shows it. */
export const presentUser = presenterOf(UserResponseDto);
