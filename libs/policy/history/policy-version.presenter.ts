import { presenterOf } from '#access';
import { PolicyDiffDto, PolicyVersionDto, PolicyVersionEntryDto } from './policy-version.dto.js';

/** A change of a policy as the API lists it. */
export const presentEntry = presenterOf(PolicyVersionEntryDto);

/** A version of a policy as the API shows it. */
export const presentVersion = presenterOf(PolicyVersionDto);

/** The differences between two versions, as the API shows them. */
export const presentDiff = presenterOf(PolicyDiffDto);
