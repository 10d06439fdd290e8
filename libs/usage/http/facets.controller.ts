import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { CheckedField, CurrentActor, GovernanceController, Refuses, Requires, type Actor, f, dtoOf } from '#access';
import { isTagKey } from '#core';
import { TAG_KEYS } from '../attribution/index.js';
import { UsageFacets } from '../series/facets.service.js';

const NAMED = ['model', 'provider', 'department', 'project', TAG_KEYS];
const FACETS_MAX = 20;

/** Which facets to list. */
export class FacetsQueryDto {
  @CheckedField(
    {
      description: `Up to ${FACETS_MAX} of ${NAMED.join(', ')} (the keys of tags) and tag:<key>, separated by commas.`,
      example: 'model,department,tag:team',
    },
    { type: String },
    facetsDefect,
  )
  of!: string;
}

/** Values by which usage can be filtered. */
@ApiSchema({ name: 'GovernanceFacetDto' })
class FacetDto extends dtoOf({
  of: f.text('model'),
  values: f.texts(['gpt-4o', 'o3'], 'Ordered by code point, at most 1,000.'),
  has_more: f.flag(false, 'Whether there are more values.'),
}) {}

/** Facets by name. */
@ApiSchema({ name: 'GovernanceFacetsDto' })
export class FacetsDto extends dtoOf({ facets: f.listOf(FacetDto) }) {}

/** Routes that list the values by which usage can be filtered and grouped. */
@GovernanceController('v1/facets', 'Usage')
export class FacetsController {
  constructor(private readonly facets: UsageFacets) {}

  @Get()
  @Requires('usage:read')
  @Refuses(400)
  @ApiOperation({
    operationId: 'listFacets',
    summary: 'List the models, providers, departments, projects and tags that usage has had',
  })
  @ApiOkResponse({ type: FacetsDto, description: 'One facet per requested name, in the order of the request.' })
  async list(@CurrentActor() { orgId }: Actor, @Query() { of }: FacetsQueryDto): Promise<FacetsDto> {
    const facets = await this.facets.of(orgId, namesIn(of));
    return {
      facets: facets.map(({ of: name, values, hasMore }) => ({ of: name, values: [...values], has_more: hasMore })),
    };
  }
}

function namesIn(of: string): string[] {
  return [...new Set(of.split(',').map(name => name.trim()))];
}

function facetsDefect(value: unknown): string | undefined {
  const isFacet = (name: string) => NAMED.includes(name) || (name.startsWith('tag:') && isTagKey(name.slice(4)));
  const names = typeof value === 'string' ? namesIn(value) : [];
  if (names.length > 0 && names.length <= FACETS_MAX && names.every(isFacet)) return undefined;
  return `must be up to ${FACETS_MAX} of ${NAMED.join(', ')} and tag:<key>, separated by commas`;
}
