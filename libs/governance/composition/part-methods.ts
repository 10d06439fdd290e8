import type { PrincipalResolver, SecurityEvents } from '#access';
import { option, PORT_METHODS } from '#core';
import type { ChatCommandAdapter, ItsmAdapter } from '#itsm';
import type { ConditionOperator } from '#policy';
import type { AuditSink } from '#siem';

type MethodsOf<T> = readonly (keyof T)[];

/** The required methods of each part that a host may provide, by option. */
export const PART_METHODS = {
  ...PORT_METHODS,
  principalResolver: ['resolve'] satisfies MethodsOf<PrincipalResolver>,
  securityEvents: ['record'] satisfies MethodsOf<SecurityEvents>,
  auditSink: ['write'] satisfies MethodsOf<AuditSink>,
  conditionOperators: ['validateOperand', 'compile', 'matchesMissing'] satisfies MethodsOf<ConditionOperator>,
  itsmAdapters: ['origins', 'render', 'verify', 'create', 'findByKey'] satisfies MethodsOf<ItsmAdapter>,
  chatAdapters: [
    ...(['isWorkspace', 'isAccount', 'read', 'isProbe', 'isAuthentic', 'isReplyUrl', 'reply'] as const),
  ] satisfies MethodsOf<ChatCommandAdapter>,
} as const;

export type PartName = keyof typeof PART_METHODS;

/**
 * Checks a part that Nest has created. If a class or factory was given, it could not be checked before.
 * @param path the option of the part
 */
export function faultsOfPart(name: PartName, made: unknown, path: string = name): string[] {
  return option.instance(PART_METHODS[name]).faults(made, path, { paths: [], misplaced: new Map() });
}
