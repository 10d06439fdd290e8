import { roleOf, type SourceFile } from './source-file.js';

/** A pattern that the code of each role must match; `null` for a role that cannot be recognized by its code. */
const ROLES: Readonly<Record<string, RegExp | null>> = {
  // Roles whose files contain one class, which Nest or the ORM recognizes by its decorator or base class. Files without
  // the role must not contain such a class.
  controller: /^\s*@(?:Governance|Scim)?Controller\(/m,
  entity: /^@Entity\(/m,
  module: /^@Module\(/m,
  filter: /^@Catch\(/m,
  guard: /\bimplements (?:\w+, )*CanActivate\b/,
  pipe: /^export class \w+ implements (?:\w+, )*PipeTransform\b/m,
  interceptor: /\bimplements (?:\w+, )*NestInterceptor\b/,
  migration: /\bextends Migration\b/,
  job: /\bextends JobHandler\b/,
  // Roles that the code does not reveal.
  adapter: null,
  contract: null,
  decorators: null,
  dto: null,
  errors: null,
  event: null,
  examples: null,
  options: null,
  port: null,
  presenter: null,
  providers: null,
  rules: null,
  schema: null,
  service: null,
  sql: null,
  topic: null,
};

/** Files whose names contain an unknown role, and files whose names lack the role of their code. */
export function roleFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ file, text }) => {
    const stated = roleOf(file);
    if (stated !== undefined && !Object.hasOwn(ROLES, stated)) return [`${file}: "${stated}" is no role`];
    const found = Object.entries(ROLES).flatMap(([role, pattern]) => (pattern?.test(text) ? [role] : []));
    const faults = found.filter(role => role !== stated).map(role => `${file}: holds a ${role}, and is not named so`);
    const promised = stated !== undefined && ROLES[stated] !== null && !found.includes(stated);
    return promised ? [...faults, `${file}: is named ${stated}, and holds none`] : faults;
  });
}
