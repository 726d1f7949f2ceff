/** class-transformer publishes this module without types; class-validator-jsonschema needs its content. */
declare module 'class-transformer/cjs/storage' {
  export const defaultMetadataStorage: import('class-transformer/types/MetadataStorage').MetadataStorage;
}
