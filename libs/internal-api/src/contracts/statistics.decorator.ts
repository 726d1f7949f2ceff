import { applyDecorators, Controller, Get, Post, type Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS } from '../authentication/service-token.authenticator';
import { RecountedFigures } from './statistics';

/** A controller of an app that counts: internal routes for partner-gateway, which has authenticated and authorised its caller. */
export const FiguresController = (): ClassDecorator =>
  applyDecorators(ApiTags('statistics'), Controller('internal/statistics'));

/** The route of {@link figuresPath}. @param type the figures of the app */
export const GetFigures = (type: Type, summary: string): MethodDecorator =>
  applyDecorators(Get(), Endpoint({ access: APPS, summary, answer: { type } }));

/** The route of {@link figuresRecountPath}. */
export const PostRecount = (summary: string): MethodDecorator =>
  applyDecorators(
    Post('recount'),
    Endpoint({ access: APPS, summary, answer: { status: 200, type: RecountedFigures } }),
  );
