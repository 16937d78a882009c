package dev.offsetd.query.export;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import java.util.List;

/**
 * Types and symbols of a kernel without which volatility3 refuses its ISF file or cannot find the page tables in a dump:
 * those that its {@code LinuxKernelIntermedSymbols} and {@code LinuxIntelStacker} name.
 */
final class VolatilityItems {

    /** A kernel lacks some of them: {@code init_level4_pgt} is an old name. */
    static final List<Item> ALL = ItemParser.parseList(List.of(
            "struct file, struct list_head, struct hlist_head, struct mm_struct, struct super_block, struct task_struct",
            "struct vm_area_struct, struct qstr, struct dentry, struct fs_struct, struct files_struct, struct kobject",
            "struct cred, struct inode, struct idr, struct address_space, struct page, struct vfsmount, struct net",
            "struct socket, struct sock, struct inet_sock, struct unix_sock",
            "symbol " + KernelBanner.SYMBOL + ", symbol init_task, symbol init_files",
            "symbol init_top_pgt, symbol init_level4_pgt, symbol swapper_pg_dir"));

    private VolatilityItems() {}
}
