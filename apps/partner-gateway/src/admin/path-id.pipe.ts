import { NotFoundException, Param, type PipeTransform } from '@nestjs/common';

/** Refuses an id with U+0000, which Postgres cannot be asked for. */
class PathIdPipe implements PipeTransform<string, string> {
  constructor(private readonly NotFound: new () => Error) {}

  transform(id: string): string {
    if (id.includes('\0')) throw new this.NotFound();
    return id;
  }
}

/**
 * An id in the path.
 *
 * @param NotFound what the operation throws for an id that nothing has; answered with `not_found` when left out
 */
export const PathId = (name: string, NotFound: new () => Error = NotFoundException): ParameterDecorator =>
  Param(name, new PathIdPipe(NotFound));
