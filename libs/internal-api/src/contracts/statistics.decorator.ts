import { applyDecorators, Controller, Get, Post, type Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS } from '../authentication/service-token.authenticator';
import { RecountedFigures } from './statistics';

/**
 * Decorates the controller of the internal routes with which an app serves its figures. partner-gateway calls these routes after it has
 * authenticated and authorized its own caller.
 */
export const FiguresController = (): ClassDecorator =>
  applyDecorators(ApiTags('statistics'), Controller('internal/statistics'));

/** Decorates the handler of {@link figuresPath}. @param type the class of the app's figures */
export const GetFigures = (type: Type, summary: string): MethodDecorator =>
  applyDecorators(Get(), Endpoint({ access: APPS, summary, answer: { type } }));

/** Decorates the handler of {@link figuresRecountPath}. */
export const PostRecount = (summary: string): MethodDecorator =>
  applyDecorators(
    Post('recount'),
    Endpoint({ access: APPS, summary, answer: { status: 200, type: RecountedFigures } }),
  );
