/** What a model is told when a path is refused or a file operation fails. One mapping for all file tools. */
import type { FileError, FileErrorKind, PathError } from "../files/file-error.ts"
import type { ToolErrorType } from "../protocol/tool-error-type.ts"
import { ToolFailure } from "./tool.ts"

/** Found while the arguments are checked: the model has to give another path. */
export const invalidPath = (error: PathError): ToolFailure =>
  new ToolFailure({ type: "invalid_tool_params", message: error.message })

/** Found when the call runs, because the disk changed since the arguments were checked. */
export const pathNotAllowed = (error: PathError): ToolFailure =>
  new ToolFailure({ type: "path_not_in_workspace", message: error.message })

const READ_TYPES: Partial<Record<FileErrorKind, ToolErrorType>> = {
  "not-found": "file_not_found",
  "is-directory": "target_is_directory",
  "too-large": "file_too_large",
  "permission-denied": "permission_denied",
  moved: "path_not_in_workspace"
}

const WRITE_TYPES: Partial<Record<FileErrorKind, ToolErrorType>> = {
  "is-directory": "target_is_directory",
  "no-space": "no_space_left",
  "permission-denied": "permission_denied",
  "read-only": "permission_denied",
  moved: "path_not_in_workspace"
}

export const readFailure = (error: FileError, display?: string): ToolFailure =>
  new ToolFailure({
    type: READ_TYPES[error.kind] ?? "read_content_failure",
    message: error.message,
    ...(display === undefined ? {} : { display })
  })

export const writeFailure = (error: FileError): ToolFailure =>
  new ToolFailure({ type: WRITE_TYPES[error.kind] ?? "file_write_failure", message: error.message })
