import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** An error in the format of Azure DevOps. The text depends on the language; `typeKey` identifies the error. */
export function failure(status: number, typeKey: string, message: string, more: JsonObject = {}): PlatformAnswer {
  const typeName = `Microsoft.VisualStudio.Services.WebApi.${typeKey}, Microsoft.VisualStudio.Services.WebApi`;
  const envelope = { $id: '1', ...more, innerException: null, message, typeName, typeKey, errorCode: 0, eventId: 3000 };
  return { status, json: envelope };
}

/** The error of a rule for one field. */
export interface RuleError {
  readonly field: string;
  readonly message: string;
  readonly flags: string;
}

/** The rules of a process refuse the values: 400, with one entry per field. */
export function ruleFailure(errors: readonly RuleError[]): PlatformAnswer {
  const [first] = errors;
  const more = errors.length - 1;
  const rest = more > 0 ? ` ${more} additional errors occurred during validation of the work item.` : '';
  const message = `${first?.message ?? ''}${rest}`;
  const RuleValidationErrors = errors.map(({ field, message: errorMessage, flags }) => ({
    ...{ fieldReferenceName: field, fieldStatusFlags: flags, errorMessage },
    ...{ fieldStatusCode: 524_289, ruleValidationErrors: null },
  }));
  return failure(400, 'RuleValidationException', message, {
    customProperties: {
      ...{ FieldReferenceName: null, FieldStatusFlags: 'none', ErrorMessage: message, FieldStatusCode: 0 },
      RuleValidationErrors,
    },
  });
}

/** "Rule Error for field", quoted in getsentry/sentry #92358 and mohitbagra/vsts-extensions #93. */
export function ruleError(field: string, label: string, ...codes: string[]): RuleError {
  const message = `TF401320: Rule Error for field ${label}. Error code: ${codes.join(', ')}.`;
  return { field, message, flags: codes.map(code => code.charAt(0).toLowerCase() + code.slice(1)).join(', ') };
}

/** Quoted in microsoft/gh-sync #13. */
export function unsupported(field: string, label: string, value: string): RuleError {
  const message = `The field '${label}' contains the value '${value}' that is not in the list of supported values`;
  return { field, message, flags: 'hasValues, limitedToValues, invalidNotOldValue' };
}

export function noItem(id: string): PlatformAnswer {
  return failure(
    404,
    'WorkItemUnauthorizedAccessException',
    `TF401232: Work item ${id} does not exist, or you do not have permissions to read it.`,
  );
}

/** The same answer for missing and hidden projects. */
export function noProject(name: string): PlatformAnswer {
  return failure(
    404,
    'ProjectDoesNotExistWithNameException',
    `TF200016: The following project does not exist: ${name}. Verify that the name of the project is correct and that the project exists on the specified Azure DevOps Server.`,
  );
}
