import type { Json, JsonObject } from '#core';
import { asObject } from '#itsm';
import { adfDefects } from '../../support/itsm/adf-defects.js';

/** The most characters of a summary, a label and the name of a property, as UTF-16 units. */
const NAME_MAX = 255;
/** The most characters of a text field. A document counts as JSON, which is the strictest reading of the limit. */
const TEXT_MAX = 32_767;

const TOO_LONG = 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.';
/** The error of a text field whose value is no document at all. */
const NO_DOCUMENT = 'Operation value must be an Atlassian Document (see the Atlassian Document Format)';

/** Errors of an issue: by field, or of the whole request. */
export interface FieldErrors {
  readonly messages: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * The errors of the values that an issue sets, as version 3 of the REST API reports them
 * (https://developer.atlassian.com/cloud/jira/platform/rest/v3, "Create issue"). Text fields take documents
 * (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure, lesstif/php-jira-rest-client #280).
 */
export function valueErrors({ summary, description, labels }: JsonObject): FieldErrors {
  const errors = {
    ...(summary !== undefined && named('summary', summaryError(summary))),
    ...(description !== undefined && named('description', documentError(description))),
    ...(labels !== undefined && named('labels', labelError(labels))),
  };
  const isBroken = description !== undefined && !errors.description && adfDefects(description).length > 0;
  return { messages: isBroken ? [UNSUPPORTED, ...adfDefects(description)] : [], errors };
}

/** The error of a document in a text field or comment; undefined if it is a document of an accepted length. */
export function documentError(value: Json): string | undefined {
  const document = asObject(value);
  if (document?.['type'] !== 'doc' || document['version'] !== 1) return NO_DOCUMENT;
  return JSON.stringify(document).length > TEXT_MAX ? TOO_LONG : undefined;
}

/** The errors of the properties of an issue ("Issue properties": a name of up to 255, a value of up to 32,768). */
export function propertyErrors(properties: Json | undefined): Record<string, string> {
  if (properties === undefined) return {};
  const isValid = (property: Json): boolean => {
    const { key, value, ...others } = asObject(property) ?? {};
    if (typeof key !== 'string' || key.length > NAME_MAX || value === undefined) return false;
    return Object.keys(others).length === 0 && JSON.stringify(value).length <= TEXT_MAX + 1;
  };
  const ok = Array.isArray(properties) && properties.every(isValid);
  return ok ? {} : { properties: 'The property is invalid.' };
}

/** Jira's answer to a document with nodes that it does not support (tenable/integration-jira-cloud #13). */
const UNSUPPORTED =
  "We can't create this issue for you right now, it could be due to unsupported content you've entered into one or more of the issue fields.";

function summaryError(value: Json): string | undefined {
  if (typeof value !== 'string') return 'Operation value must be a string';
  if (value.trim() === '') return 'You must specify a summary of the issue.';
  if (/[\r\n]/.test(value)) return 'The summary is invalid because it contains newline characters.';
  return value.length > NAME_MAX ? "Summary can't exceed 255 characters." : undefined;
}

function labelError(value: Json): string | undefined {
  if (!Array.isArray(value)) return 'data was not an array';
  const texts = value.filter(label => typeof label === 'string');
  if (texts.length < value.length) return 'string expected at index 0';
  const spaced = texts.find(label => /\s/u.test(label));
  if (spaced !== undefined) return `The label '${spaced}' contains spaces which is invalid.`;
  const isUnfit = texts.some(label => label === '' || label.length > NAME_MAX);
  return isUnfit ? 'The label is empty, or exceeds 255 characters.' : undefined;
}

function named(id: string, error: string | undefined): Record<string, string> {
  return error === undefined ? {} : { [id]: error };
}
