/** Stands in the place of an organization for records of which none is known. No organization has it. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';
