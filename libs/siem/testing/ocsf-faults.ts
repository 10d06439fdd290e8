import type { Json, JsonObject } from '#core';
import { OCSF_ACTIVITIES, OCSF_CLASSES, OCSF_ENUMS, OCSF_OBJECTS, type OcsfShape } from './ocsf-facts.js';

/** Errors of an event according to OCSF 1.8.0, each with its path. */
export function ocsfFaults(event: JsonObject): string[] {
  const uid = Number(event['class_uid']);
  const shape = OCSF_CLASSES.get(String(uid));
  if (!shape) return [`class_uid: ${uid} is unknown`];
  const faults = shapeFaults(shape, event, '', String(uid));
  const { activity_id: activity, activity_name: name, category_uid: category, type_uid: type } = event;
  const names = OCSF_ACTIVITIES.get(String(uid)) ?? [];
  if (activity !== 0 && activity !== 99 && names[Number(activity) - 1] !== name)
    faults.push(`activity_name: ${JSON.stringify(name)}`);
  if (activity === 99 && typeof name !== 'string')
    faults.push('activity_name: missing, as the activity is another one');
  if (type !== uid * 100 + Number(activity)) faults.push(`type_uid: ${JSON.stringify(type)}`);
  if (category !== Math.floor(uid / 1_000)) faults.push(`category_uid: ${JSON.stringify(category)}`);
  return faults;
}

function shapeFaults(shape: OcsfShape, value: JsonObject, path: string, owner: string): string[] {
  const types = new Map(shape.attributes.split(' ').map(each => each.split(':') as [string, string]));
  const present = new Set(Object.keys(value));
  const missing = words(shape.required).filter(name => !present.has(name));
  const some = words(shape.oneOf ?? '');
  return [
    ...missing.map(name => `${path}${name}: required`),
    ...(some.length > 0 && !some.some(name => present.has(name)) ? [`${path}: none of ${shape.oneOf}`] : []),
    ...Object.entries(value).flatMap(([name, each]) => {
      const type = types.get(name);
      return type === undefined ? [`${path}${name}: unknown`] : typeFaults(type, each, path + name, `${owner}.${name}`);
    }),
  ];
}

function typeFaults(type: string, value: Json, path: string, name: string): string[] {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${path}: no array`];
    return value.flatMap((each, at) => typeFaults(type.slice(0, -2), each, `${path}[${at}]`, name));
  }
  const object = OCSF_OBJECTS.get(type);
  if (object) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? shapeFaults(object, value, `${path}.`, type) : [`${path}: no object`];
  }
  const values = OCSF_ENUMS.get(name) ?? OCSF_ENUMS.get(name.slice(name.indexOf('.') + 1));
  if (values && !values.includes(Number(value)))
    return [`${path}: ${JSON.stringify(value)} is not a value of the enum`];
  return isOfType(type, value) ? [] : [`${path}: no ${type}`];
}

function isOfType(type: string, value: Json): boolean {
  if (type === 'json_t') return true;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'boolean_t') return typeof value === 'boolean';
  if (/^(integer|long|timestamp|port)_t$/.test(type)) return Number.isSafeInteger(value);
  return typeof value === 'string' && value !== '';
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
