import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Delete, Get, Module, Param, Post, Put, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiProperty, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { createOpenApiDocument, GovernanceModule } from 'nest-llm-governance';
import { shopDocument } from '../../apps/examples/docs-snippets/src/shop-document.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import type { TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;

/** The shop's own user DTO. Its class has the same name as a DTO of governance. */
class CreateUserDto {
  @ApiProperty({ description: 'How the shop greets the customer.' })
  nickname!: string;
}

@Controller('shop')
class ShopController {
  @Get('users')
  users(): string[] {
    return [];
  }

  @Post('customers')
  create(@Body() body: CreateUserDto): CreateUserDto {
    return body;
  }

  @Get('customers/:id')
  customer(@Param('id') id: string): string {
    return id;
  }

  @Put('baskets/:id')
  basket(@Param('id') id: string): string {
    return id;
  }

  @Delete('baskets/:id/items')
  empty(): void {}
}

@Module({ controllers: [ShopController] })
class ShopModule {}

let database: TestDatabase;
const started: INestApplication[] = [];

async function start(isGoverned: boolean): Promise<INestApplication> {
  const governance = GovernanceModule.forRoot({ path: 'governance', database: { url: database.url }, keys: KEYS });

  @Module({ imports: [ShopModule, ...(isGoverned ? [governance] : [])] })
  class Host {}

  const app = await NestFactory.create(Host, { logger: ['error', 'warn'], abortOnError: false });
  started.push(app);
  await app.init();
  return app;
}

const documentOf = (app: INestApplication): OpenAPIObject =>
  SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Shop').setVersion('1').build());
const schemasOf = ({ components }: OpenAPIObject): string[] => Object.keys(components?.schemas ?? {});

describe('the OpenAPI document of a host', () => {
  let alone: OpenAPIObject;
  let governed: INestApplication;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    alone = documentOf(await start(false));
    governed = await start(true);
  });

  afterAll(async () => {
    for (const app of started) await app.close();
    await database?.drop();
  });

  it('keeps its own schemas when ours have the same class names', () => {
    const both = documentOf(governed);
    expect(Object.keys(alone.paths)).toHaveLength(5);
    expect(both.components?.schemas?.['CreateUserDto']).toEqual(alone.components?.schemas?.['CreateUserDto']);
    expect(both.components?.schemas?.['GovernanceCreateUserDto']).toMatchObject({ properties: { email: {} } });
    expect(both.paths).toMatchObject(alone.paths);
  });

  it('has only schemas of ours whose names begin with Governance', () => {
    const own = schemasOf(createOpenApiDocument(governed));
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter(name => !name.startsWith('Governance'))).toEqual([]);
  });

  it('is the same as without governance when our routes are left out', () => {
    expect(JSON.stringify(shopDocument(governed))).toBe(JSON.stringify(alone));
  });

  it("can be made for our routes alone when the host's document leaves them out", () => {
    shopDocument(governed);
    expect(Object.keys(createOpenApiDocument(governed).paths)).toContain('/governance/v1/users');
  });
});
