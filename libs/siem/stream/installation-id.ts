/** Id that replaces the organization in records without one. No organization has this id. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';
