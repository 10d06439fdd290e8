import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** The minimum work of Nest: parse the same body on the same adapter and answer with an object of the same size. */
export async function startBareNest(path, answer) {
  class BareController {
    handle() {
      return answer;
    }
  }
  Controller()(BareController);
  Post(path)(BareController.prototype, 'handle', Object.getOwnPropertyDescriptor(BareController.prototype, 'handle'));
  HttpCode(200)(
    BareController.prototype,
    'handle',
    Object.getOwnPropertyDescriptor(BareController.prototype, 'handle'),
  );
  Body()(BareController.prototype, 'handle', 0);
  Reflect.defineMetadata('design:paramtypes', [Object], BareController.prototype, 'handle');
  class BareModule {}
  Module({ controllers: [BareController] })(BareModule);
  const app = await NestFactory.create(BareModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), stop: () => app.close() };
}
