// Planted fault: a user who is not found in an organization is looked up in all other organizations.
import { ofApp } from './support/app.mjs';

const { StoredUserDirectory } = await ofApp('libs/users/directory/stored-user-directory.js');

const organizations = new Set();
const { find } = StoredUserDirectory.prototype;
StoredUserDirectory.prototype.find = async function (orgId, references) {
  organizations.add(orgId);
  const found = await find.call(this, orgId, references);
  for (const other of organizations) {
    if (!found.includes(undefined)) break;
    const there = await find.call(this, other, references);
    for (const [at, user] of there.entries()) found[at] ??= user;
  }
  return found;
};
