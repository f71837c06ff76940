"""PHP: namespaces, imports of classes and functions; what has no namespace is seen everywhere."""

from collections.abc import Mapping, Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World

_BUILTINS = frozenset(
    "count sizeof strlen strpos stripos strrpos substr substr_count str_replace str_ireplace str_repeat str_pad "
    "str_split str_contains str_starts_with str_ends_with strtolower strtoupper ucfirst ucwords lcfirst trim "
    "ltrim rtrim explode implode join sprintf printf vsprintf number_format nl2br htmlspecialchars "
    "html_entity_decode strip_tags addslashes preg_match preg_match_all preg_replace preg_replace_callback "
    "preg_split preg_quote mb_strlen mb_substr mb_strtolower mb_strtoupper mb_strpos iconv is_array is_string "
    "is_int is_integer is_float is_bool is_null is_object is_numeric is_callable is_iterable is_resource "
    "is_scalar is_a is_subclass_of intval floatval strval boolval settype gettype get_class get_parent_class "
    "get_object_vars get_debug_type method_exists property_exists class_exists function_exists interface_exists "
    "array array_map array_filter array_merge array_keys array_values array_key_exists array_search array_slice "
    "array_splice array_shift array_unshift array_push array_pop array_unique array_reverse array_combine "
    "array_diff array_diff_key array_intersect array_intersect_key array_flip array_fill array_fill_keys "
    "array_column array_chunk array_walk array_reduce array_sum array_product array_key_first array_key_last "
    "array_is_list in_array range compact extract sort rsort usort uasort uksort ksort asort arsort current key "
    "next reset end each list min max abs ceil floor round rand mt_rand random_int random_bytes sqrt pow intdiv "
    "fmod pi file_get_contents file_put_contents file_exists is_file is_dir is_readable is_writable mkdir rmdir "
    "unlink rename copy fopen fclose fread fwrite fgets feof fputcsv fgetcsv dirname basename pathinfo realpath "
    "glob scandir getcwd chdir tempnam sys_get_temp_dir json_encode json_decode json_last_error serialize "
    "unserialize var_export var_dump print_r md5 sha1 hash crc32 base64_encode base64_decode urlencode urldecode "
    "rawurlencode http_build_query parse_url parse_str uniqid time date mktime strtotime microtime usleep sleep "
    "define defined constant call_user_func call_user_func_array func_get_args spl_object_id spl_object_hash "
    "spl_autoload_register iterator_to_array iterator_count set_error_handler restore_error_handler trigger_error "
    "error_log error_reporting ini_get ini_set php_sapi_name phpversion version_compare extension_loaded ob_start "
    "ob_get_clean ob_end_clean header setcookie session_start password_hash password_verify filter_var "
    "ctype_digit ctype_alpha ctype_alnum ctype_upper ctype_lower ctype_space chr ord bin2hex hex2bin dechex "
    "hexdec wordwrap similar_text levenshtein strcmp strcasecmp strncmp strncasecmp strtr strrev strstr stristr "
    "strrchr exec shell_exec system passthru proc_open getenv putenv register_shutdown_function gc_collect_cycles "
    "debug_backtrace assert clearstatcache stream_get_contents stream_context_create".split()
)


def _modules(module: str, _: str, __: World) -> Sequence[str]:
    return () if module.endswith(".php") else (module.lstrip("."),)


def _special(name: str, _: str, __: str, ___: Mapping[str, str]) -> str | None:
    return "" if name == "" else None


PHP = Rules(
    languages=frozenset(("php",)),
    leaves_open=True,
    modules=_modules,
    special=_special,
    has_implicit_members=False,
    self_types=frozenset(("self", "static")),
    holders={"iterable": 0, "Collection": -1, "array": -1, "Generator": -1, "Traversable": -1, "Iterator": -1},
    methods=METHODS,
    preludes=("",),
    builtins=_BUILTINS,
    call_operator="__invoke",
)
