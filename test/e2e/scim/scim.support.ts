import type { Answer, Call, TestApp } from '../../support/test-app.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Sends requests as an identity provider, with bodies in the SCIM media type. */
export function scimCall(call: Call): Call {
  return (method, path, body, headers = {}) =>
    call(method, `/scim/v2${path}`, typeof body === 'object' ? JSON.stringify(body) : body, {
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      ...headers,
    });
}

/** An identity provider of the app's organization, with a token with the role scim. */
export async function identityProvider(app: TestApp): Promise<Call> {
  return scimCall((await app.addToken('scim')).call);
}

/** Sends a request that must succeed, and returns its answer. */
export async function expectOk(answer: Promise<Answer>): Promise<Answer> {
  const { status, text, ...rest } = await answer;
  if (status >= 300) throw new Error(`refused with ${status}: ${text}`);
  return { status, text, ...rest };
}

/** Creates a user and returns the resource. */
export async function newUser(scim: Call, userName: string, more: object = {}): Promise<Answer['body']> {
  return (await expectOk(scim('POST', '/Users', { schemas: [USER], userName, ...more }))).body;
}

/** Creates a group of users and returns the resource. */
export async function newGroup(scim: Call, displayName: string, ids: string[] = []): Promise<Answer['body']> {
  const members = ids.map(value => ({ value }));
  return (await expectOk(scim('POST', '/Groups', { schemas: [GROUP], displayName, members }))).body;
}

/** The body of a PATCH. */
export function patch(...operations: unknown[]): object {
  return { schemas: [PATCH], Operations: operations };
}
