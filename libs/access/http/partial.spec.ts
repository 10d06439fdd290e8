import { describe, expect, it } from '@jest/globals';
import { DECORATORS } from '@nestjs/swagger';
import { FlagField, TextField } from './field.decorators.js';
import { readInput } from './input.pipe.js';
import { partialOf } from './partial.js';

class CreateDto {
  @TextField({ max: 3 })
  name!: string;

  @TextField({ max: 3, optional: true, nullable: true })
  note?: string | null;

  @FlagField({ optional: true, default: true })
  enabled?: boolean;
}

class UpdateDto extends partialOf(CreateDto) {}

describe('partialOf', () => {
  it.each<[string, object]>([
    ['no field', {}],
    ['one field', { enabled: false }],
    ['null for a field that accepts it at creation', { note: null }],
  ])('accepts %s', (_, body) => {
    expect(readInput(UpdateDto, body, 'body')).toEqual(body);
  });

  it.each<object>([{ name: null }, { name: 'long' }, { enabled: null }, { other: 1 }])('refuses %j', body => {
    expect(() => readInput(UpdateDto, body, 'body')).toThrow(/^(name|enabled|other): /);
  });

  it('documents every field as optional and without a default', () => {
    const schemaOf = (name: string): unknown =>
      Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, UpdateDto.prototype, name);
    expect(schemaOf('name')).toMatchObject({ required: false, maxLength: 3 });
    expect(schemaOf('enabled')).not.toHaveProperty('default');
  });
});
